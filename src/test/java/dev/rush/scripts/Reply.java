package dev.rush.scripts;

import java.util.List;

/** The replies of one call: Redis's time, the partition's sequence, a text per request. */
record Reply(long now, long sequence, List<String> texts) {

    /** What a defect is answered with while the script decides, but for its wording. */
    static final String DEFECT = "failed ";

    static Reply of(Object reply) {
        List<?> words = (List<?>) reply;
        return new Reply((Long) words.get(0), (Long) words.get(1),
                words.subList(2, words.size()).stream().map(Object::toString).toList());
    }

    /** The texts; of a defect only that it was one, and that it says where. */
    List<String> promised() {
        return texts.stream().map(text -> text.startsWith(DEFECT) && text.contains("compare")
                ? DEFECT : text).toList();
    }

    /**
     * What is promised where the next write meets a sequence that is no number: whoever was
     * granted something in this call, and whoever repeats a grant, hears of it, and no one else.
     */
    static List<String> unwritten(List<String> promised) {
        boolean writes = promised.stream().anyMatch(
                text -> text.startsWith("accepted ") || text.startsWith("replayed "));
        return promised.stream().map(text -> writes
                && (text.startsWith("accepted ") || text.startsWith("replayed "))
                ? DEFECT + "ERR value is not an integer or out of range" : text).toList();
    }
}
