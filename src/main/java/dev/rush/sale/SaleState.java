package dev.rush.sale;

/** What a sale is doing. */
enum SaleState {
    SCHEDULED("scheduled"), OPEN("open"), PAUSED("paused"), SOLD_OUT("sold-out"), CLOSED("closed");

    private final String text;

    SaleState(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** The state at an instant; all times in Redis's milliseconds, 0 for none. */
    static SaleState of(
            long now, long opensAt, long closesAt, long closedAt, boolean paused, long left) {
        if (closedAt > 0 || closesAt > 0 && now >= closesAt) {
            return CLOSED;
        }
        if (paused) {
            return PAUSED;
        }
        if (now < opensAt) {
            return SCHEDULED;
        }
        return left == 0 ? SOLD_OUT : OPEN;
    }
}
