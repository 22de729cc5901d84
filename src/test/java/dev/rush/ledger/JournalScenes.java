package dev.rush.ledger;

import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;

/** All scenes that show what the journal's SQL promises. */
public final class JournalScenes {

    private JournalScenes() {
    }

    /** The scenes by what they show, to be played one after the other. */
    public static Map<String, Scene> of(TestJournal test) {
        Map<String, Scene> scenes = new LinkedHashMap<>(new SchemaSqlScenes(test).all());
        scenes.putAll(new StepSqlScenes(test).all());
        scenes.putAll(new WorkingSetSqlScenes(test).all());
        scenes.putAll(new OrderRowsSqlScenes(test).all());
        scenes.putAll(new OrderPagesSqlScenes(test).all());
        scenes.putAll(new OfferSqlScenes(test).all());
        scenes.putAll(new GrabRowsSqlScenes(test).all());
        scenes.putAll(new ScheduleSqlScenes(test).all());
        scenes.putAll(new WatchedSqlScenes(test).all());
        scenes.putAll(new WatchedLookScenes(test).all());
        scenes.putAll(new RefillSqlScenes(test).all());
        scenes.putAll(new LeaseSqlScenes(test).all());
        scenes.putAll(new LossSqlScenes(test).all());
        scenes.putAll(new LostNumbersSqlScenes(test).all());
        scenes.putAll(new JournalSqlScenes(test).all());
        return scenes;
    }
}
