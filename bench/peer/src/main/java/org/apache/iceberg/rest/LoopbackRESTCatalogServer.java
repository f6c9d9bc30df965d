/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *   http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package org.apache.iceberg.rest;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.eclipse.jetty.compression.gzip.GzipCompression;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/**
 * Serves the reference catalog adapter of the Iceberg test fixtures on 127.0.0.1 only; the shipped
 * main binds every interface. Settings: the CATALOG_* environment (CATALOG_URI, CATALOG_WAREHOUSE,
 * CATALOG_REST_PORT, ...). In this package because that adapter is not public.
 */
public final class LoopbackRESTCatalogServer {
  private LoopbackRESTCatalogServer() {}

  public static void main(String[] args) throws Exception {
    Map<String, String> settings = settings();
    int port = Integer.parseInt(settings.getOrDefault("rest.port", "8181"));
    Server jetty = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    jetty.setHandler(handler(settings));
    jetty.start();
    System.out.println("reference catalog on " + jetty.getURI());
    jetty.join();
  }

  private static Map<String, String> settings() throws Exception {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("catalog-impl", "org.apache.iceberg.jdbc.JdbcCatalog");
    settings.put("uri", "jdbc:sqlite:file:reference?mode=memory&cache=shared");
    settings.put("jdbc.schema-version", "V1");
    settings.putAll(RCKUtils.environmentCatalogConfig());
    if (settings.get("warehouse") == null) {
      settings.put("warehouse", Files.createTempDirectory("reference-warehouse").toUri().toString());
    }
    return settings;
  }

  private static CompressionHandler handler(Map<String, String> settings) {
    var catalog = CatalogUtil.buildIcebergCatalog("reference", settings, new Configuration());
    var adapter = new RESTServerCatalogAdapter(new RESTCatalogServer.CatalogContext(catalog, settings));
    var context = new ServletContextHandler();
    context.addServlet(new ServletHolder(new RESTCatalogServlet(adapter)), "/*");
    var gzip = new CompressionHandler();
    gzip.putCompression(new GzipCompression());
    gzip.setHandler(context);
    return gzip;
  }
}
