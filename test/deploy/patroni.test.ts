import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'

const folder = join(import.meta.dirname, '../../deploy/patroni')
const patroni = parse(readFileSync(join(folder, 'patroni.yml'), 'utf8'))
const etcd = parseEnv(readFileSync(join(folder, 'etcd.env'), 'utf8'))

describe('our choice: failover by Patroni (decision 0043; npm run test:failover measures it)', () => {
  test('Patroni promotes only synchronous standbys, and the leader survives the loss of etcd', () => {
    const { synchronous_mode, failsafe_mode, ttl, loop_wait, retry_timeout } = patroni.bootstrap.dcs
    assert.deepEqual([synchronous_mode, failsafe_mode], [true, true])
    assert.ok(loop_wait + 2 * retry_timeout <= ttl)
  })

  test('Patroni uses etcd’s v2 API, which etcd enables, at the addresses of all its members', () => {
    assert.equal(patroni.etcd3, undefined)
    assert.equal(etcd.ETCD_ENABLE_V2, 'true')
    const members = [...String(etcd.ETCD_INITIAL_CLUSTER).matchAll(/http:\/\/([\d.]+):2380/g)]
    const hosts = members.map(([, address]) => `${address}:2379`)
    assert.deepEqual(patroni.etcd.hosts, hosts)
  })
})
