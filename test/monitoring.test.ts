import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { provisionListeningBot } from './support/bot-runtime.ts'
import { openAda, signedIn } from './support/people.ts'
import { emptyDatabase } from './support/postgres/test-database.ts'
import { openClient } from './support/postgres/with-client.ts'

const folder = join(import.meta.dirname, '../monitoring')
const dashboard = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8')) as {
  panels: { title: string; description?: string; type: string; targets?: { expr: string }[] }[]
}
const rules = readFileSync(join(folder, 'alert-rules.yml'), 'utf8')

/**
 * Labels allowed beyond those that exist here: Prometheus adds `instance`, and only nodes on PostgreSQL have `pool` and
 * `state`.
 */
const addedLabels = ['instance', 'pool', 'state']
/** Metrics that Prometheus itself adds. */
const addedFigures = ['up']

describe('The dashboard and the alert rules use metrics that exist (0031)', () => {
  const expressions = [
    ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr }))),
    ...[...rules.matchAll(/- alert: (\w+)\n\s+expr: '(.+)'\n/g)].map(([, of = '', expr = '']) => ({ of, expr })),
  ]

  test('each metric name and label in the dashboard and the alert rules exists, and each Gatehouse metric is in one of them', async (t) => {
    const { names, labels, own } = await whatExists(t)
    assert.ok(expressions.length > 40, String(expressions.length))
    for (const { of, expr } of expressions) {
      const words = expr.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, '')
      for (const [name] of words.matchAll(/\b(?:gatehouse|nodejs|process)_[a-z0-9_]+|\bup\b/g)) {
        assert.ok(names.has(name), `${of} uses ${name}, which does not exist`)
      }
      const asked = [...words.matchAll(/[{,]\s*([a-z_]+)\s*[=!]/g), ...words.matchAll(/by \(([a-z_, ]+)\)/g)]
      for (const label of asked.flatMap(([, list = '']) => list.split(/,\s*/))) {
        assert.ok(labels.has(label), `${of} uses the label ${label}, which no metric has`)
      }
    }
    const shown = expressions.map(({ expr }) => expr).join('\n')
    for (const name of own) assert.ok(shown.includes(name), `${name} is not shown`)
  })

  test('every dashboard panel has a description; every alert has a duration, a severity and instructions', () => {
    for (const { type, title, description = '' } of dashboard.panels) {
      if (type !== 'row') assert.ok(description.endsWith('.'), title)
    }
    const alerts = rules.split(/\n\s+- alert: /).slice(1)
    for (const alert of alerts) {
      assert.match(
        alert,
        /^Gatehouse\w+\n\s+expr: '.+'\n\s+for: \d+m\n\s+labels:\n\s+severity: (page|ticket)\n\s+annotations:\n\s+summary: '.+'\n\s+description: '.+'\n?$/,
      )
    }
  })
})

describe('The alert rules', () => {
  test('the alert rules raise the alerts expected by monitoring/alert-rules.test.yml when promtool runs it', (t) => {
    const words = ['test', 'rules', 'alert-rules.test.yml']
    const { error, status, stdout, stderr } = spawnSync('promtool', words, { cwd: folder, encoding: 'utf8' })
    if (error !== undefined) return t.skip('promtool is not installed; it is in the Debian package prometheus')
    assert.equal(status, 0, stdout + stderr)
  })

  test('the PostgreSQL alert rules use only columns that the queries in monitoring/postgres-queries.yml return', async (t) => {
    const queries = parse(readFileSync(join(folder, 'postgres-queries.yml'), 'utf8')) as Record<
      string,
      { query: string; metrics: Record<string, object>[] }
    >
    const used = readFileSync(join(folder, 'postgres-alert-rules.yml'), 'utf8').match(/gatehouse_postgres_\w+/g) ?? []
    const client = await openClient(t, await emptyDatabase())
    const names: string[] = []
    for (const [prefix, { query, metrics }] of Object.entries(queries)) {
      const { fields } = await client.query(query)
      const columns = fields.map(({ name }) => name)
      assert.deepEqual(columns, metrics.flatMap(Object.keys))
      names.push(...columns.map((column) => `${prefix}_${column}`))
    }
    assert.deepEqual([...new Set(used)].sort(), names.sort())
  })
})

async function whatExists(t: TestContext) {
  const { world } = await openAda(t)
  await signedIn(world)
  const bot = await provisionListeningBot(world.service)
  await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST' })
  await world.clock.advance(61_000)
  const text = await (await fetch(`${world.controlUrl}/metrics`)).text()
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => ({ name, type }))
  const names = types.flatMap(({ name, type }) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  )
  const labels = [...text.matchAll(/[{,]([a-z_]+)="/g)].map(([, label = '']) => label)
  return {
    names: new Set([...names, ...addedFigures]),
    labels: new Set([...labels, ...addedLabels]),
    own: types.map(({ name }) => name).filter((name) => name.startsWith('gatehouse_')),
  }
}
