// Reads sets of manifests, {name: [object, ...]}, and writes what Monokle finds in each.
import { readFileSync } from 'node:fs';
import {
  DefaultPluginLoader, DisabledFixer, MonokleValidator, processRefs, ResourceParser, SchemaLoader,
} from '@monokle/validation';

// Off by default. Not asked for: running-as-non-root, which overlooks what is said of the pod.
const strict = [
  'pod-security-standards/volume-types', 'pod-security-standards/privilege-escalation',
  'pod-security-standards/running-as-non-root-user', 'pod-security-standards/seccomp-strict',
  'pod-security-standards/capabilities-strict', 'practices/cpu-request', 'practices/cpu-limit',
  'practices/memory-request', 'practices/memory-limit', 'practices/no-exposed-service',
];
const parser = new ResourceParser();
const validator = new MonokleValidator({
  loader: new DefaultPluginLoader(), parser, schemaLoader: new SchemaLoader(), suppressors: [],
  fixer: new DisabledFixer(),
});
await validator.preload({
  plugins: { 'pod-security-standards': true, 'resource-links': true, practices: true },
  rules: Object.fromEntries(strict.map((rule) => [rule, 'err'])),
});

const findings = {};
for (const [set, objects] of Object.entries(JSON.parse(readFileSync(process.argv[2], 'utf8')))) {
  const resources = objects.map((content, i) => ({
    id: `${set} ${i}`, fileId: set, filePath: set, fileOffset: 0, content,
    text: JSON.stringify(content), apiVersion: content.apiVersion, kind: content.kind,
    name: content.metadata.name, namespace: content.metadata.namespace,
  }));
  processRefs(resources, parser);
  const { runs: [{ results }] } = await validator.validate({ resources });
  findings[set] = results.map(({ ruleId, message, locations }) =>
    `${ruleId} ${message.text} ${locations.at(-1).logicalLocations[0].fullyQualifiedName}`);
}
console.log(JSON.stringify(findings));
