package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;

/** An endless script blocks a master, which replies BUSY until the script is killed. */
final class RunawayScript extends Fault {
    private static final int RUN_MS = 900;
    private static final int HEAL_MS = 3_000;

    RunawayScript() {
        super("runaway-script", Group.CALLS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        Thread script = new Thread(() -> {
            try (Resp resp = master.resp()) {
                resp.command("EVAL", "while true do end", "0");
            } catch (RuntimeException e) {
                // The script was killed, as intended.
            }
        }, "runaway-script");
        return new Injection(master.toString(), List.of(), () -> {
            kill(master);
            // It ends shortly after Redis accepts the kill, or, on a paused node, only in cleanup.
            script.join(HEAL_MS);
        }, () -> {
            Nodes.awaitNoScript(master);
            master.command("CONFIG", "SET", "busy-reply-threshold", "5000");
        }).by(() -> {
            master.command("CONFIG", "SET", "busy-reply-threshold", "50");
            script.start();
            Await.sleep(200 + random.nextInt(RUN_MS));
        });
    }

    private static void kill(RedisNode master) {
        try {
            master.command("SCRIPT", "KILL");
        } catch (Resp.ErrorReply | UncheckedIOException e) {
            // The script has ended or not begun yet, or the node is paused.
        }
    }
}
