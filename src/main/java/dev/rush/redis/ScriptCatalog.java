package dev.rush.redis;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** All scripts of the service, so that each connection can load them before it serves. */
@Singleton
public class ScriptCatalog {

    private final List<Script> all;

    @Inject
    ScriptCatalog(Instance<ScriptSet> sets) {
        this((Iterable<ScriptSet>) sets);
    }

    /** The scripts of these sets. */
    public ScriptCatalog(Iterable<ScriptSet> sets) {
        List<Script> scripts = new ArrayList<>();
        sets.forEach(set -> scripts.addAll(set.scripts()));
        scripts.sort(Comparator.comparing(Script::name));
        all = List.copyOf(scripts);
    }

    /** All scripts, by name. */
    public List<Script> all() {
        return all;
    }
}
