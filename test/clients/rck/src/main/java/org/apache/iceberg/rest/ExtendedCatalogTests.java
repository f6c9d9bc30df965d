/*
 * Licensed under the Apache License, Version 2.0. Derived from Apache Iceberg; see NOTICE.
 */
package org.apache.iceberg.rest;

import org.junit.jupiter.api.Test;

/**
 * The kit's own tests of tables and namespaces, with everything switched on that the kit hard-codes
 * off, so that the tests which it always skips run too.
 */
public class ExtendedCatalogTests extends RESTCompatibilityKitCatalogTests {
  @Override
  protected boolean supportsNestedNamespaces() {
    return true;
  }

  @Override
  protected boolean supportsNamesWithSlashes() {
    return true;
  }

  @Override
  protected boolean supportsEmptyNamespace() {
    return true;
  }

  /**
   * The kit disables it, since it cannot start its own server anew with unique locations switched
   * on. A server where every table has a location of its own needs no switch.
   */
  @Test
  @Override
  public void createTableInUniqueLocation() {
    super.createTableInUniqueLocation();
  }
}
