import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exported, type Line, openAudit, requestExport } from '../support/audit.ts'
import { answerOf, signedIn } from '../support/people.ts'

describe('GET {control_url}/v1/audit', () => {
  test('the audit export returns one JSON object per line, oldest first; the parameters after and limit select a range', async (t) => {
    const { world } = await openAudit(t)
    for (let sign = 0; sign < 3; sign += 1) await signedIn(world)
    const response = await requestExport(world)
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const all = (await response.text()).trimEnd().split('\n')
    assert.deepEqual(
      all.map((line) => JSON.parse(line).number),
      [1, 2, 3, 4, 5],
    )
    const middle = await (await requestExport(world, '?after=1&limit=2')).text()
    assert.equal(middle, `${all[1]}\n${all[2]}\n`)
    assert.equal(await (await requestExport(world, '?after=5')).text(), '')
  })

  test('an invalid query of the audit export returns 400 with a problem document that says what is expected', async (t) => {
    const { world } = await openAudit(t)
    const afterRange = `from 0 to ${Number.MAX_SAFE_INTEGER}`
    for (const [query, detail] of [
      ['?after=last', `The parameter after is malformed. Expected: an integer ${afterRange}.`],
      ['?after=1&after=2', `The parameter after is malformed. Expected: an integer ${afterRange}.`],
      ['?limit=0', 'The parameter limit is malformed. Expected: an integer from 1 to 1000000.'],
      ['?since=3', 'Unknown parameter since. Known parameters: after, limit.'],
    ]) {
      const { status, json } = await answerOf(await requestExport(world, query))
      assert.equal(status, 400)
      assert.deepEqual(json, { type: 'about:blank', title: 'Bad Request', status: 400, detail })
    }
  })

  test('the OpenAPI document of the control surface describes the audit export', async (t) => {
    const { world } = await openAudit(t)
    const { json } = await answerOf(await fetch(`${world.controlUrl}/openapi.json`))
    const { get } = json.paths['/v1/audit']
    assert.deepEqual(
      get.parameters.map((parameter: { name: string; in: string }) => [parameter.name, parameter.in]),
      [
        ['after', 'query'],
        ['limit', 'query'],
      ],
    )
    assert.deepEqual(get.responses[200].content, {
      'application/x-ndjson': { schema: { $ref: '#/components/schemas/AuditEvent' } },
    })
    const line = (await exported(world))[0] as Line
    assert.deepEqual(Object.keys(json.components.schemas.AuditEvent.properties), Object.keys(line))
  })
})
