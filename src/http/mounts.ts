/** Where the Iceberg REST catalog is served. */
export const ICEBERG_MOUNT = "/iceberg";
/** Where the native API is served. */
export const NATIVE_MOUNT = "/api/v1";
/** Where the console is served. */
export const CONSOLE_MOUNT = "/console";
