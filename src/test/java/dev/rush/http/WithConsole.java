package dev.rush.http;

import dev.rush.testing.Browser;
import dev.rush.testing.FaultyProxy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Tests of the operators' console, driven in a real browser: one console for all of a class. */
abstract class WithConsole {
    static ConsoleScene scene;
    static Browser browser;

    @BeforeAll
    static void openConsole() {
        scene = null;
        scene = new ConsoleScene();
        browser = scene.browser();
    }

    @AfterAll
    static void closeConsole() {
        if (scene != null) {
            scene.close();
        }
    }

    @AfterEach
    void heal() {
        scene.network(FaultyProxy.Mode.PASS);
        browser.errors();
    }

    /** Sets the value of a field, because how to type it depends on the locale. */
    static void set(String field, String value) {
        browser.run("""
                const field = document.querySelector(args[0]);
                field.value = args[1];
                field.dispatchEvent(new Event('input', { bubbles: true }));
                """, field, value);
    }

    /** Checks a question and its effect, and confirms it. */
    static void confirm(String question, String effect, String verb) {
        browser.await(".ask h2", question);
        browser.await(".ask .effect", effect);
        browser.choose(verb);
        browser.awaitGone(".ask");
    }
}
