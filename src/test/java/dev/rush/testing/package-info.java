/** Real servers, real pods and a thin client: what integration tests stand on. */
package dev.rush.testing;
