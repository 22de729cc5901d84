package dev.rush.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.dev.ParentWatchdog;
import dev.rush.dev.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.AddHasCdp;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.chromium.HasCdp;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.remote.HttpCommandExecutor;
import org.openqa.selenium.remote.RemoteExecuteMethod;
import org.openqa.selenium.remote.RemoteWebDriver;

/**
 * A real headless Chromium with reduced motion, so that elements do not move before they are
 * clicked. The project does not bundle it, so a test is skipped on a machine without it and its
 * driver.
 */
public final class Browser implements AutoCloseable {
    private static final List<String> BROWSERS =
            List.of("chromium", "chromium-browser", "google-chrome");
    private static final String DRIVER = "chromedriver";
    private static final Duration START_LIMIT = Duration.ofSeconds(20);
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration SCRIPT_LIMIT = Patience.of(Duration.ofSeconds(10));
    /**
     * The elements of a selector, those shown, and the text of one as it is shown. One script
     * replaces three commands for each element, because a page has dozens of them.
     */
    private static final String SHOWN = """
            const [selector, wanted] = arguments;
            const all = [...document.querySelectorAll(selector)];
            const hasArea = one => [...one.getClientRects()].some(
                ({ width, height }) => width > 0 && height > 0)
                || [...one.children].some(hasArea);
            const shown = all.filter(one => one.checkVisibility(
                { checkOpacity: true, checkVisibilityCSS: true }) && hasArea(one));
            const text = one => (one.innerText ?? one.textContent).replace(/[^\\S\\n]+/g, ' ');
            """;

    private final Process process;
    private final ParentWatchdog watchdog;
    private final Path log;
    private final RemoteWebDriver driver;
    private final HasCdp devTools;

    private Browser() throws IOException {
        int port = Ports.free();
        log = Fork.folder("browsers").resolve("chromedriver.log");
        Files.createDirectories(log.getParent());
        process = new ProcessBuilder(find(DRIVER).orElseThrow().toString(), "--port=" + port)
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        watchdog = ParentWatchdog.watch("TERM", process.pid(), null);
        Await.until("the browser's driver listens", START_LIMIT,
                () -> readLog().contains("successfully"), this::readLog);
        AddHasCdp commands = new AddHasCdp();
        driver = new RemoteWebDriver(new HttpCommandExecutor(commands.getAdditionalCommands(),
                URI.create("http://127.0.0.1:" + port).toURL()), options());
        devTools = commands.getImplementation(driver.getCapabilities(),
                new RemoteExecuteMethod(driver));
        driver.manage().timeouts().scriptTimeout(SCRIPT_LIMIT);
    }

    private static ChromeOptions options() {
        LoggingPreferences console = new LoggingPreferences();
        console.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(BROWSERS.stream().flatMap(name -> find(name).stream()).findFirst()
                .orElseThrow().toFile());
        options.setCapability("goog:loggingPrefs", console);
        // A container's root has neither namespaces for a sandbox nor a large /dev/shm.
        return options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                "--disable-gpu", "--force-prefers-reduced-motion", "--window-size=1200,1000",
                // Each further process would take a second of CPU time.
                "--renderer-process-limit=1", "--process-per-site", "--in-process-gpu",
                "--disable-site-isolation-trials",
                "--disable-features=SpareRendererForSitePerProcess,BackForwardCache",
                // It calls nobody but the pod.
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-default-apps", "--disable-domain-reliability", "--disable-sync",
                "--disable-extensions", "--metrics-recording-only", "--no-pings");
    }

    /** Returns whether this machine has a browser and its driver. */
    public static boolean isInstalled() {
        return find(DRIVER).isPresent()
                && BROWSERS.stream().anyMatch(name -> find(name).isPresent());
    }

    private static Optional<Path> find(String program) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, program)).filter(Files::isExecutable).findFirst();
    }

    /** Starts a browser, or skips the test if none is installed. */
    public static Browser start() {
        assumeTrue(isInstalled(),
                "no chromium with its chromedriver (Debian: chromium, chromium-driver)");
        try {
            return new Browser();
        } catch (IOException e) {
            throw new UncheckedIOException("the browser did not start", e);
        }
    }

    private String readLog() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a page and waits until it is loaded. */
    public void open(String address) {
        driver.get(address);
    }

    /**
     * Sets the size of the viewport in pixels, and the preferred colour scheme. Half the pixels
     * emulate a zoom of 200 %.
     */
    public void emulate(int width, int height, boolean dark) {
        devTools.executeCdpCommand("Emulation.setDeviceMetricsOverride", Map.of("width", width,
                "height", height, "deviceScaleFactor", 1, "mobile", false));
        colours(dark, false);
    }

    /** Sets the preferred colour scheme, and whether forced colours are active. */
    public void colours(boolean dark, boolean forced) {
        devTools.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(
                Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"),
                Map.of("name", "forced-colors", "value", forced ? "active" : "none"))));
    }

    /** Disables or enables the cache. */
    public void disableCache(boolean disabled) {
        devTools.executeCdpCommand("Network.enable", Map.of());
        devTools.executeCdpCommand("Network.setCacheDisabled", Map.of("cacheDisabled", disabled));
    }

    /** Blocks all addresses that match one of these patterns, from now on. */
    public void block(String... patterns) {
        devTools.executeCdpCommand("Network.enable", Map.of());
        devTools.executeCdpCommand("Network.setBlockedURLs", Map.of("urls", List.of(patterns)));
    }

    /** Opens a page whose clock is fast by this much. */
    public void openWithFastClock(Duration fast, String address) {
        Map<String, Object> script = devTools.executeCdpCommand(
                "Page.addScriptToEvaluateOnNewDocument", Map.of("source", "const exact ="
                        + " performance.now.bind(performance); performance.now = () => exact() + "
                        + fast.toMillis()));
        open(address);
        devTools.executeCdpCommand("Page.removeScriptToEvaluateOnNewDocument", script);
    }

    /** Returns a screenshot of the viewport as a PNG. */
    public byte[] picture() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    /** Loads the page again. */
    public void reload() {
        driver.navigate().refresh();
    }

    /** Clears the local storage of the page's origin. */
    public void clearStorage() {
        driver.executeScript("localStorage.clear()");
    }

    /** Waits until an element with this text is displayed; returns the first of the selector. */
    public WebElement await(String selector, String text) {
        WebElement[] first = new WebElement[1];
        Await.until(selector + " says " + text, LIMIT, () -> {
            first[0] = (WebElement) driver.executeScript(SHOWN
                    + "return shown.some(one => text(one).includes(wanted)) ? all[0] : null",
                    selector, text);
            return first[0] != null;
        }, this::evidence);
        return first[0];
    }

    /** Waits until an element has an attribute; returns its value. */
    public String attribute(String selector, String name) {
        String[] found = new String[1];
        Await.until(selector + " has " + name, LIMIT, () -> {
            found[0] = driver.findElement(By.cssSelector(selector)).getDomAttribute(name);
            return found[0] != null;
        }, this::evidence);
        return found[0];
    }

    /** Waits until no such element is shown. */
    public void awaitGone(String selector) {
        Await.until(selector + " is gone", LIMIT, () -> (Boolean) driver.executeScript(
                SHOWN + "return shown.length === 0", selector), this::evidence);
    }

    /** Focuses an element and presses the space bar, as keyboard users do. */
    public void press(String selector) {
        driver.findElement(By.cssSelector(selector)).sendKeys(Keys.SPACE);
    }

    /**
     * Waits for a button or link with this text and presses it; an open dialog hides the others.
     */
    public void choose(String text) {
        Await.until("there is a button " + text, LIMIT, () -> {
            WebElement button = (WebElement) driver.executeScript(SHOWN + "return shown.find("
                    + "one => !one.matches(':disabled') && text(one).trim() === wanted) ?? null",
                    "dialog[open] button, body:not(:has(dialog[open])) :is(button, a)", text);
            if (button != null) {
                button.sendKeys(Keys.ENTER);
            }
            return button != null;
        }, this::evidence);
    }

    /** Clicks the first such element that is shown, once no other one moves over it. */
    public void click(String selector) {
        Await.until("a click on " + selector, LIMIT, () -> {
            await(selector, "").click();
            return true;
        }, this::evidence);
    }

    /** Types a text into a field. */
    public void type(String selector, String text) {
        driver.findElement(By.cssSelector(selector)).sendKeys(text);
    }

    /** Replaces the text of a field. */
    public void fill(String selector, String text) {
        driver.findElement(By.cssSelector(selector)).clear();
        type(selector, text);
    }

    /** Runs the body of an async function in the page; returns what it returns. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> run(String body, Object... arguments) {
        return (Map<String, Object>) driver.executeAsyncScript("const done = arguments[arguments"
                + ".length - 1]; (async (...args) => {" + body + "})(...arguments).then(done,"
                + "error => done({ error: String(error) }))", arguments);
    }

    /** Errors on the page's console so far, including violations of its policy. */
    public List<String> errors() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel() == Level.SEVERE).map(LogEntry::getMessage)
                .toList();
    }

    private String evidence() {
        return driver.findElement(By.tagName("body")).getText() + "\n" + errors();
    }

    @Override
    public void close() {
        try {
            driver.quit();
        } finally {
            stop();
        }
    }

    private void stop() {
        try {
            process.destroy();
            if (!process.waitFor(Patience.of(START_LIMIT).toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            watchdog.release();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
