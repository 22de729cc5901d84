package dev.rush.scripts;

/** The window and control of a sale or rain. */
class Window {
    private final String unknown;
    private long opensAt;
    private long closesAt;
    private boolean known;
    private boolean paused;
    private boolean closed;
    private long changes;

    /**
     * The window of a sale or rain that does not exist yet.
     *
     * @param unknown the reply until it exists
     */
    Window(String unknown) {
        this.unknown = unknown;
    }

    /** The sale or rain exists from now on. Times are milliseconds, 0 for none. */
    final void open(long opens, long closes) {
        opensAt = opens;
        closesAt = closes;
        known = true;
    }

    final boolean isKnown() {
        return known;
    }

    /** How often anything but a request has changed it. */
    final long changes() {
        return changes;
    }

    final void change() {
        changes++;
    }

    final String refusal(long now) {
        return paused ? "paused" : now < opensAt ? "not-open " + opensAt
                : isClosed(now) ? "closed" : null;
    }

    private boolean isClosed(long now) {
        return closed || closesAt > 0 && now >= closesAt;
    }

    /** Pauses, resumes or closes at an instant that is clearly before or after its end. */
    final String control(String action, long now) {
        if (!known) {
            return unknown;
        }
        if (action.equals("close")) {
            changes += closed ? 0 : 1;
            closed = true;
            return "done";
        }
        if (isClosed(now)) {
            return "closed";
        }
        changes += paused == action.equals("pause") ? 0 : 1;
        paused = action.equals("pause");
        return "done";
    }

    /** Whether it ends between these instants, so that its state is uncertain. */
    final boolean endsBetween(long from, long to) {
        return known && closesAt >= from && closesAt <= to;
    }
}
