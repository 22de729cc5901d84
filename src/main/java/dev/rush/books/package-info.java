/**
 * Watching the books: whether Redis and the ledger agree, by how much and on which side they do
 * not, what was lost, and repair when told to.
 */
package dev.rush.books;
