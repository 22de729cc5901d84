package dev.rush.scripts;

import java.util.List;

/** The replies of one call: Redis's time, the partition's sequence, a text per request. */
record Reply(long now, long sequence, List<String> texts) {

    /** How the reply to a request begins that meets a defect. */
    static final String DEFECT = "failed ";

    static Reply of(Object reply) {
        List<?> words = (List<?>) reply;
        return new Reply((Long) words.get(0), (Long) words.get(1),
                words.subList(2, words.size()).stream().map(Object::toString).toList());
    }

    /** The texts, and those of a failed comparison without details. */
    List<String> promised() {
        return texts.stream().map(text -> text.startsWith(DEFECT) && text.contains("compare")
                ? DEFECT : text).toList();
    }

    /**
     * The promised replies if the write fails because the sequence is not a number: all requests
     * that were granted or replayed fail, and no others.
     */
    static List<String> unwritten(List<String> promised) {
        boolean writes = promised.stream().anyMatch(
                text -> text.startsWith("accepted ") || text.startsWith("replayed "));
        return promised.stream().map(text -> writes
                && (text.startsWith("accepted ") || text.startsWith("replayed "))
                ? DEFECT + "ERR value is not an integer or out of range" : text).toList();
    }
}
