/** Real servers, real pods and a thin client for integration tests. */
package dev.rush.testing;
