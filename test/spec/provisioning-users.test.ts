import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAnswer, assertProblem, openScene } from './provisioning-scene.ts'

describe('PUT /v1/users/{userId}', () => {
  test('PUT creates a user (201) or changes the user (200); GET returns the user without secrets', async (t) => {
    const { put, get, madeAt } = await openScene(t)
    const body = {
      name: 'Grace',
      email: 'Grace@Example.com',
      password: 'correct horse battery',
      pin: '1234',
      chatPlatformId: '12345678901234567',
      codeHostingId: 'grace',
    }
    const record = {
      id: 'grace',
      name: 'Grace',
      email: 'Grace@Example.com',
      chatPlatformId: '12345678901234567',
      codeHostingId: 'grace',
      hasPassword: true,
      hasPin: true,
      disabled: false,
      createdAt: madeAt,
    }
    assertAnswer(await put('users/grace', body), 201, record)
    assertAnswer(await put('users/grace', body), 200, record)
    assertAnswer(await get('users/grace'), 200, record)
    assertProblem(await get('users/nobody'), 404, /no user nobody/)
  })

  test('PUT of a user keeps absent optional members and clears those that are null', async (t) => {
    const { put } = await openScene(t)
    const body = {
      name: 'Ada',
      email: 'ada@example.com',
      password: 'correct horse battery',
      pin: '1234',
      codeHostingId: 'a',
    }
    await put('users/ada', body)
    const kept = (await put('users/ada', { name: 'Ada L.' })).json
    assert.partialDeepStrictEqual(kept, { name: 'Ada L.', email: 'ada@example.com', hasPin: true, codeHostingId: 'a' })
    const cleared = (
      await put('users/ada', { name: 'Ada', email: null, password: null, pin: null, codeHostingId: null })
    ).json
    assert.partialDeepStrictEqual(cleared, { email: null, hasPassword: false, hasPin: false, codeHostingId: null })
  })

  test('a user with an invalid value returns 400; a value that another user has returns 409', async (t) => {
    const { put } = await openScene(t)
    await put('users/ada', {
      name: 'Ada',
      email: 'ada@example.com',
      chatPlatformId: '12345678901234567',
      codeHostingId: 'a',
    })
    for (const [member, value] of [
      ['pin', '123'],
      ['pin', '1234567890123'],
      ['pin', '١٢٣٤'],
      ['password', 'short'],
      ['password', 'password'],
      ['email', 'no address'],
      ['chatPlatformId', '1234567890123456'],
      ['codeHostingId', 'a b'],
      ['name', ' '],
    ] as const) {
      assertProblem(await put('users/bob', { name: 'Bob', [member]: value }), 400, [`#/${member}`])
    }
    for (const [member, value] of [
      ['email', ' ADA@example.com '],
      ['chatPlatformId', '12345678901234567'],
      ['codeHostingId', 'a'],
    ] as const) {
      assertProblem(await put('users/bob', { name: 'Bob', [member]: value }), 409, [`#/${member}`])
    }
  })
})
