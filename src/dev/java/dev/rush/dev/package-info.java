/**
 * What only dev mode and tests need: real Redis and PostgreSQL servers without a container engine,
 * and samples to play with. No part of the production build.
 */
package dev.rush.dev;
