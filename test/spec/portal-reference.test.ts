import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../support/world.ts'

test('our choice: {portal_url}/reference describes every operation of the OpenAPI description, and needs no sign-in', async (t) => {
  const world = await openWorld(t)
  const answer = await fetch(`${world.portalUrl}/reference`)
  assert.equal(answer.status, 200)
  // Removes `<wbr>`, which only allows line breaks in long names.
  const text = (await answer.text()).replaceAll('<wbr>', '')
  const document = await (await fetch(`${world.apiUrl}/openapi.json`)).json()
  const { paths } = document as { paths: Record<string, Record<string, { summary: string; responses: object }>> }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { summary, responses }] of Object.entries(methods)) {
      assert.ok(text.includes(`<code>${method.toUpperCase()} ${world.baseUrl}${path}</code>`))
      assert.ok(text.includes(`<span lang="en">${summary}</span>`), summary)
      for (const status of Object.keys(responses)) assert.ok(text.includes(`<h3>${status}</h3>`))
    }
  }
  for (const member of ['redirect_uri', 'refresh_token', 'connections.passkey', 'bots[].role']) {
    assert.ok(text.includes(`<code>${member}</code>`), member)
  }
  assert.ok(!text.includes('<script>') && !text.includes(' style='))
})
