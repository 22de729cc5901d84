package dev.rush.offer;

/** The state of a sale or rain. */
public enum State {
    SCHEDULED("scheduled"), OPEN("open"), PAUSED("paused"), SOLD_OUT("sold-out"), EMPTY("empty"),
    CLOSED("closed");

    private final String text;

    State(String text) {
        this.text = text;
    }

    /** The state as spelled in answers. */
    public String text() {
        return text;
    }

    /**
     * The state at an instant; all times in Redis's milliseconds, 0 for none.
     *
     * @param inside the state within the window: {@link #OPEN}, or the state with nothing left
     */
    public static State of(long now, long opensAt, long closesAt, long closedAt, boolean paused,
            State inside) {
        if (closedAt > 0 || closesAt > 0 && now >= closesAt) {
            return CLOSED;
        }
        if (paused) {
            return PAUSED;
        }
        return now < opensAt ? SCHEDULED : inside;
    }
}
