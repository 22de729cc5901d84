package dev.rush.bench.layout;

/**
 * The form of the requests.
 *
 * @param size  requests per call
 * @param keyed whether clients send keys
 * @param uuids whether users are UUIDs rather than names of 11 characters
 * @param mixed whether every second request buys a second item
 */
record Form(int size, boolean keyed, boolean uuids, boolean mixed) {

    @Override
    public String toString() {
        return "calls of " + size + (keyed ? ", clients' keys" : "")
                + (uuids ? ", UUID users" : "") + (mixed ? ", two items" : "");
    }
}
