package dev.rush.rain;

/** What a rain is doing. */
enum RainState {
    SCHEDULED("scheduled"), OPEN("open"), PAUSED("paused"), EMPTY("empty"), CLOSED("closed");

    private final String text;

    RainState(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** The state at an instant; all times in Redis's milliseconds, 0 for none. */
    static RainState of(
            long now, long startsAt, long endsAt, long closedAt, boolean paused, long left) {
        if (closedAt > 0 || endsAt > 0 && now >= endsAt) {
            return CLOSED;
        }
        if (paused) {
            return PAUSED;
        }
        if (now < startsAt) {
            return SCHEDULED;
        }
        return left == 0 ? EMPTY : OPEN;
    }
}
