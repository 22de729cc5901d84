/**
 * Code that only dev mode, tests and image builds need: real Redis and PostgreSQL servers without a
 * container engine, samples, and the training of an AOT cache. Not part of the production build.
 */
package dev.rush.dev;
