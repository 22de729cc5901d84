package dev.rush.redis;

import java.util.List;

/** The scripts of one package. A package has one bean of this kind. */
@FunctionalInterface
public interface ScriptSet {

    /** The scripts to load on every node. */
    List<Script> scripts();
}
