/**
 * What only dev mode, tests and the building of an image need: real Redis and PostgreSQL servers
 * without a container engine, samples to play with, and the training whose knowledge an image
 * carries. No part of the production build.
 */
package dev.rush.dev;
