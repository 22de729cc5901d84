/** Rush. */
package dev.rush;
