import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { simpleWebauthn } from '../../src/adapters/webauthn/simple-webauthn.ts'
import { parsePasskeyResponse } from '../../src/domain/accounts/passkeys/passkey-ceremonies.ts'
import { seeded } from '../support/seeded.ts'
import { type Deviations, SoftwareAuthenticator } from '../support/software-authenticator.ts'

const origin = 'https://id.example.com'
const { verifyRegistration: verify } = simpleWebauthn(origin)
const read = parsePasskeyResponse

describe('our choice: no attestation is requested, and attestations with certificates are not examined (decision 0012)', () => {
  test('a passkey without attestation and one with self-attestation are accepted', async () => {
    for (const lies of [{}, { attestation: 'self' }] as const) {
      assert.ok('credentialId' in (await verify(read(registration(lies))!)))
    }
  })

  const statement = (...entries: [string, unknown][]) => new Map<string, unknown>(entries)
  const some = new Uint8Array([1, 2, 3])
  const jws = Buffer.from(`${Buffer.from('{"x5c":["AQID"]}').toString('base64url')}.e30.AQID`)
  const unasked = 'attestation format not requested'
  const certified = 'attestation with certificates not requested'
  for (const [fmt, attStmt, why] of [
    ['android-safetynet', statement(['ver', '1'], ['response', new Uint8Array(jws)]), unasked],
    ['tpm', statement(['ver', '2.0'], ['alg', -7], ['sig', some], ['x5c', [some]]), unasked],
    ['None', statement(), unasked],
    ['none', statement(['x5c', [some]]), 'attestation statement in format none'],
    ['packed', statement(['alg', -7], ['sig', some], ['x5c', [some]]), certified],
    ['packed', statement(['alg', -7], ['sig', some], ['ecdaaKeyId', some]), certified],
  ] as const) {
    test(`an attestation statement with format ${fmt} and members ${[...attStmt.keys()].join(', ') || '(none)'} is rejected without being examined`, async () => {
      assert.deepEqual(await verify(read(registration({ attestation: { fmt, attStmt } }))!), { why })
    })
  }

  test('a response whose binary members are not canonical base64url is rejected', () => {
    const honest = JSON.parse(registration({}))
    assert.ok(read(JSON.stringify(honest)))
    const sloppy: [string, (text: string) => string][] = [
      ['padded', (text) => `${text}=`],
      ['with a line end', (text) => `${text.slice(0, 8)}\n${text.slice(8)}`],
      ['with a letter of base64', (text) => `+${text.slice(1)}`],
      ['with a letter left over', (text) => `${text.slice(0, text.length - (text.length % 4))}A`],
      ['with bits left over', (text) => `${text.slice(0, text.length - (text.length % 4))}AB`],
    ]
    for (const [how, spoil] of sloppy) {
      for (const member of ['id', 'rawId']) {
        const spoilt = read(JSON.stringify({ ...honest, [member]: spoil(honest[member]) }))
        assert.equal(spoilt, undefined, `${member} ${how}`)
      }
      for (const member of ['clientDataJSON', 'attestationObject']) {
        const response = { ...honest.response, [member]: spoil(honest.response[member]) }
        assert.equal(read(JSON.stringify({ ...honest, response })), undefined, `${member} ${how}`)
      }
    }
    for (const id of [7, {}, ['AQID'], true]) assert.equal(read(JSON.stringify({ ...honest, id })), undefined)
  })

  test('an attestation with random bytes changed is either accepted or rejected with a reason', async () => {
    const random = seeded(20_261_122)
    const before = registration({})
    let parsedAnswers = 0
    for (let round = 0; round < 2_000; round += 1) {
      const answer = JSON.parse(before)
      const attestation = Buffer.from(answer.response.attestationObject, 'base64url')
      for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes -= 1) {
        attestation[Math.floor(random() * attestation.length)] = Math.floor(random() * 256)
      }
      const length = random() < 0.2 ? Math.floor(random() * attestation.length) : attestation.length
      answer.response.attestationObject = attestation.subarray(0, length).toString('base64url')
      const parsed = read(JSON.stringify(answer))
      if (parsed === undefined) continue
      parsedAnswers += 1
      const outcome = await verify(parsed)
      assert.ok('why' in outcome ? outcome.why.length > 0 : outcome.publicKey.length > 0)
    }
    assert.equal(parsedAnswers, 2_000)
  })

  test('a response with random letters changed never throws an exception', async () => {
    const random = seeded(7)
    const before = registration({ attestation: 'self' })
    for (let round = 0; round < 2_000; round += 1) {
      const letters = [...before]
      for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes -= 1) {
        letters[Math.floor(random() * letters.length)] = String.fromCharCode(32 + Math.floor(random() * 95))
      }
      const parsed = read(letters.join(''))
      if (parsed !== undefined) await verify(parsed)
    }
  })
})

function registration(lies: Deviations): string {
  const challenge = randomBytes(32).toString('base64url')
  return new SoftwareAuthenticator({ origin }).create({ challenge, user: { id: 'ada' } }, lies)
}
