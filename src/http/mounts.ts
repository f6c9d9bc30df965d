/** Where the Iceberg REST catalog is served. */
export const ICEBERG_MOUNT = "/iceberg";
