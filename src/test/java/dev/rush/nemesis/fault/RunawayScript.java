package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;

/** Somebody's script never ends, and is killed; meanwhile the master answers BUSY. */
final class RunawayScript extends Fault {
    private static final int RUN_MS = 900;
    private static final int HEAL_MS = 3_000;

    RunawayScript() {
        super("runaway-script", Group.CALLS);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        master.command("CONFIG", "SET", "busy-reply-threshold", "50");
        Thread script = new Thread(() -> {
            try (Resp resp = master.resp()) {
                resp.command("EVAL", "while true do end", "0");
            } catch (RuntimeException e) {
                // It was killed, which is what it is there for.
            }
        }, "runaway-script");
        script.start();
        Await.sleep(200 + random.nextInt(RUN_MS));
        return new Injury(master.toString(), List.of(), () -> {
            kill(master);
            // It ends a moment after Redis says that it does; a paused node's ends later.
            script.join(HEAL_MS);
        }, () -> {
            Await.until("the script is killed", Topology.patience(), () -> {
                kill(master);
                return !script.isAlive();
            });
            master.command("CONFIG", "SET", "busy-reply-threshold", "5000");
        });
    }

    private static void kill(RedisNode master) {
        try {
            master.command("SCRIPT", "KILL");
        } catch (Resp.ErrorReply | UncheckedIOException e) {
            // None runs (it has ended, or has not yet begun), or the node is paused.
        }
    }
}
