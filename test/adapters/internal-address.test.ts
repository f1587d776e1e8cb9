import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isInternalAddress } from '../../src/adapters/outgoing/guarded-requests.ts'

describe('our choice: addresses that outgoing requests must not reach', () => {
  test('loopback, private, link-local, shared, multicast and reserved addresses are internal, and so are invalid addresses and IPv6 addresses that embed IPv4', () => {
    for (const address of [
      ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
      ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '239.1.1.1', '255.255.255.255'],
      ...['::', '::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::10.0.0.1', '64:ff9b::a00:1', 'fc00::1', 'fd12::1'],
      ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:a00:1::1', '3fff::1'],
      ...['', 'localhost', '1.2.3', '0x7f000001'],
    ]) {
      assert.equal(isInternalAddress(address), true, address)
    }
  })

  test('ordinary internet addresses are not internal', () => {
    for (const address of ['8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '192.167.1.1']) {
      assert.equal(isInternalAddress(address), false, address)
    }
    for (const address of ['2606:4700:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888']) {
      assert.equal(isInternalAddress(address), false, address)
    }
  })
})
