package dev.rush.bench.layout;

/**
 * How purchases come.
 *
 * @param size  requests in a call
 * @param keyed whether clients send keys
 * @param uuids whether users are UUIDs, else names of 11 characters
 * @param mixed whether one request in two of a call wants another item
 */
record Form(int size, boolean keyed, boolean uuids, boolean mixed) {

    @Override
    public String toString() {
        return "calls of " + size + (keyed ? ", clients' keys" : "")
                + (uuids ? ", UUID users" : "") + (mixed ? ", two items" : "");
    }
}
