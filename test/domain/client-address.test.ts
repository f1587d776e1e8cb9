import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { network } from '../../src/domain/limits/budget.ts'
import { canonicalAddress } from '../../src/http/request-origin.ts'

describe('All spellings of an address count as one client, and so does each IPv6 /64', () => {
  const clients: [string, string[]][] = [
    ['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:ffff:c000:0201']],
    [
      '2001:db8:0:1::/64',
      ['2001:db8:0:1::', '2001:DB8:0:1:ffff::1', '2001:0db8:0000:0001:0:0:0:7', '2001:db8:0:1::%eth0'],
    ],
    ['2001:db8:0:0::/64', ['2001:db8::1', '2001:db8::2:3:4:5']],
    ['0:0:0:0::/64', ['::1', '::', '0:0:0:0:0:0:0:1']],
    ['192.0.2.7', ['192.0.2.7:1', '192.0.2.7:65535', '[::ffff:192.0.2.7]:443']],
    ['2001:db8:0:9::/64', ['[2001:DB8:0:9::1]:4711', '[2001:db8:0:9::2]', '2001:db8:0:9::3']],
    ['unknown', ['unknown']],
    ['_hidden', ['_hidden']],
    ['192.0.2.7.8:1::/64', ['192.0.2.7.8:1']],
    ['fe80:0:0:0::/64', ['fe80::1%lo', 'fe80:0:0:0:1:2:3:4']],
  ]
  for (const [client, spellings] of clients) {
    for (const spelling of spellings) {
      test(`${spelling} counts as ${client}`, () => assert.equal(network(canonicalAddress(spelling)), client))
    }
  }
})
