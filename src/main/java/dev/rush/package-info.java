/**
 * Rush sells a fixed supply to a crowd. This package holds the configuration, {@link
 * dev.rush.RushConfig}, and what checks it at the start. The packages below are named after what
 * owns the data; docs/design.md lists them and says which may import which.
 */
package dev.rush;
