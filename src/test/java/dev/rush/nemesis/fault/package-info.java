/** What the nemesis breaks, one class a fault, and what each fault may take with it. */
package dev.rush.nemesis.fault;
