import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { openWorld } from '../support/world.ts'
import { portsOf, settingsOf } from './settings.ts'

const folder = join(import.meta.dirname, '../../deploy/kubernetes')

interface Manifest {
  kind: string
  metadata: { name: string }
  // A manifest's other members depend on its kind.
  // biome-ignore lint/suspicious/noExplicitAny: accessing a missing member fails the test
  [member: string]: any
}

function manifests(name: string): Manifest[] {
  return parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((document) => {
    assert.deepEqual([document.errors, document.warnings], [[], []])
    return document.toJS() as Manifest
  })
}

const all = manifests('gatehouse.yaml')
const [secret] = manifests('secret.example.yaml')
const of = (kind: string, name = 'gatehouse') =>
  all.find((manifest) => manifest.kind === kind && manifest.metadata.name === name) as Manifest
const pod = of('Deployment').spec.template.spec
const [container] = pod.containers
const { DATABASE_URL, ...secrets } = secret?.stringData ?? {}
const filledIn = Object.fromEntries(Object.keys(secrets).map((name) => [name, 'f'.repeat(64)]))
const config = settingsOf({ ...of('ConfigMap').data, ...filledIn })
const ports = portsOf(config)

describe('our choice: nodes on Kubernetes (decision 0043)', () => {
  test('the manifests’ settings are valid once the Secret’s DATABASE_URL, SECRET_KEY and OPERATOR_KEY are filled in', () => {
    assert.match(DATABASE_URL, /^postgres:\/\//)
    assert.deepEqual(Object.keys(secrets), ['SECRET_KEY', 'OPERATOR_KEY'])
    assert.throws(() => settingsOf({ ...of('ConfigMap').data, ...secrets }), 'what is not filled in is not taken')
    const sources = container.envFrom.map((from: Record<string, { name: string }>) => Object.values(from)[0]?.name)
    assert.deepEqual(sources, [of('ConfigMap').metadata.name, secret?.metadata.name])
  })

  test('services, policy, ingress and probes name the ports that the service listens on', () => {
    const named = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    )
    assert.deepEqual(named, ports)
    const served = [...of('Service').spec.ports, ...of('Service', 'gatehouse-control').spec.ports]
    assert.deepEqual(Object.fromEntries(served.map(({ targetPort, port }) => [targetPort, port])), ports)
    assert.equal(new URL(config.control.url).host, `gatehouse-control:${ports.control}`)
    const rules = of('Ingress').spec.rules as {
      host: string
      http: { paths: { backend: { service: { port: { name: string } } } }[] }
    }[]
    assert.deepEqual(
      rules.map(({ host, http }) => [`https://${host}`, http.paths[0]?.backend.service.port.name]),
      [
        [config.base.url, 'base'],
        [config.api.url, 'api'],
        [config.portal.url, 'portal'],
      ],
    )
    const hosts = rules.map(({ host }) => host)
    assert.deepEqual(of('Ingress').spec.tls[0].hosts, hosts)
    for (const { ports: open } of of('NetworkPolicy').spec.ingress)
      for (const { port } of open) assert.ok(port in ports)
  })

  test('only the ingress controller reaches the public ports, and TRUST_PROXY is one hop', () => {
    const [publicPorts, control, ...others] = of('NetworkPolicy').spec.ingress
    assert.deepEqual(others, [])
    assert.deepEqual(of('NetworkPolicy').spec.podSelector.matchLabels, of('Deployment').spec.selector.matchLabels)
    const [{ namespaceSelector, podSelector }, ...more] = publicPorts.from
    assert.equal(namespaceSelector.matchLabels['kubernetes.io/metadata.name'], 'ingress-nginx')
    assert.equal(podSelector.matchLabels['app.kubernetes.io/name'], 'ingress-nginx')
    assert.deepEqual([more, publicPorts.ports], [[], ['base', 'api', 'portal'].map((port) => ({ port }))])
    assert.deepEqual(control.ports, [{ port: 'control' }])
    assert.doesNotMatch(JSON.stringify(control.from), /ingress/)
    assert.equal(config.trustProxy, 1)
  })

  test('the probes use existing paths; a node that is not ready gets no requests and is not restarted', async (t) => {
    const world = await openWorld(t)
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(({ httpGet }) => {
      assert.equal(httpGet.port, 'control')
      return httpGet.path as string
    })
    assert.deepEqual(paths, ['/livez', '/livez', '/readyz'])
    for (const path of paths) assert.equal((await fetch(`${world.controlUrl}${path}`)).status, 200)
  })

  test('a node has time to drain, a roll-out keeps all replicas, and evictions remove one node at a time', () => {
    const [, seconds] = container.lifecycle.preStop.exec.command
    assert.ok(pod.terminationGracePeriodSeconds > Number(seconds) + 10)
    const { replicas, strategy, selector } = of('Deployment').spec
    assert.equal(replicas, 3)
    assert.deepEqual(strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
    assert.equal(of('PodDisruptionBudget').spec.maxUnavailable, 1)
    const labels = of('Deployment').spec.template.metadata.labels
    const selected = [selector.matchLabels, of('PodDisruptionBudget').spec.selector.matchLabels]
    for (const name of ['gatehouse', 'gatehouse-control']) selected.push(of('Service', name).spec.selector)
    for (const found of selected) assert.deepEqual(found, labels)
  })

  test('a node does not run as root and writes only to its two volumes', () => {
    assert.equal(pod.securityContext.runAsNonRoot, true)
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const paths = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
    assert.deepEqual(paths, ['/var/lib/gatehouse', '/tmp'])
    for (const { name, ...volume } of pod.volumes) assert.deepEqual(volume, { emptyDir: {} }, name)
  })
})
