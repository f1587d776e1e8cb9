import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fastify from 'fastify'
import { refuseOtherHosts } from '../../src/api/operators/operator-guard.ts'
import { send } from '../support/raw-http.ts'
import { openWorld, type World } from '../support/world.ts'

describe('The control surface answers 421 if Host is a DNS name other than localhost or the one in CONTROL_URL', () => {
  test('a request with an attacker’s host name is rejected on every path of the control surface, even with the operator key', async (t) => {
    const world = await openWorld(t)
    const detail = 'Unknown host. Use localhost, 127.0.0.1 or an IP address.'
    const problem = { type: 'about:blank', title: 'Misdirected Request', status: 421, detail }
    const { port } = new URL(world.controlUrl)
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example']) {
      for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json', '/v1/users/ada', '/nothing']) {
        const answer = await ask(world, path, host)
        const misdirected = [421, 'application/problem+json; charset=utf-8']
        assert.deepEqual([answer.status, answer.headers['content-type']], misdirected, `${host} ${path}`)
        assert.deepEqual(JSON.parse(answer.text), problem)
      }
    }
    for (const host of ['1.2.3', '[evil]', 'localhost.', '127.0.0.1@evil.example', '2130706433', '[::1']) {
      assert.notEqual((await ask(world, '/livez', host)).status, 200, host)
    }
  })

  test('localhost and any IP address are accepted as Host, so that scrapers reach the control surface; X-Forwarded-Host is ignored', async (t) => {
    const world = await openWorld(t, { TRUST_PROXY: '1' })
    for (const host of ['localhost', 'LOCALHOST:9', '127.0.0.1', '10.1.2.3:3003', '[::1]:3003', '[fd00::7]']) {
      assert.equal((await ask(world, '/livez', host, { 'x-forwarded-host': 'evil.example' })).status, 200, host)
    }
    const forwarded = { 'x-forwarded-host': 'localhost', 'x-forwarded-for': '192.0.2.1' }
    assert.equal((await ask(world, '/livez', 'evil.example', forwarded)).status, 421)
  })

  test('the host name in CONTROL_URL is accepted as Host, with or without a port', async (t) => {
    const app = fastify()
    t.after(() => app.close())
    refuseOtherHosts(app, 'http://gatehouse-control:3003')
    app.get('/livez', async () => ({ status: 'ok' }))
    const statusFor = async (host: string) => (await app.inject({ url: '/livez', headers: { host } })).statusCode
    for (const host of ['gatehouse-control:3003', 'Gatehouse-Control', 'localhost:9']) {
      assert.equal(await statusFor(host), 200, host)
    }
    for (const host of ['gatehouse-control.evil.example', 'gatehouse']) assert.equal(await statusFor(host), 421, host)
  })
})

function ask(world: World, path: string, host: string, more: Record<string, string> = {}) {
  return send(world.controlUrl + path, 'GET', { host, authorization: `Bearer ${world.operatorKey}`, ...more })
}
