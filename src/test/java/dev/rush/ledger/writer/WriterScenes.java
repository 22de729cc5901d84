package dev.rush.ledger.writer;

import dev.rush.ledger.TestJournal;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;

/** All scenes that show what the writer's SQL promises. */
public final class WriterScenes {

    private WriterScenes() {
    }

    /** The scenes by what they show, to be played one after the other. */
    public static Map<String, Scene> of(TestJournal journal) {
        Map<String, Scene> scenes = new LinkedHashMap<>(new WriterSqlScenes(journal).all());
        scenes.putAll(new BehindSqlScenes(journal).all());
        scenes.putAll(new GrabSqlScenes(journal).all());
        scenes.putAll(new BatchSqlScenes(journal).all());
        scenes.putAll(new LostSqlScenes(journal).all());
        scenes.putAll(new EndedSqlScenes(journal).all());
        return scenes;
    }
}
