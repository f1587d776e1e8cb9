import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClientScene, openClientScene } from './registration.ts'

interface Tokens {
  access_token: string
  refresh_token?: string
}

/** The functions of a library's page. */
interface Library<Begun extends { url: string | URL }> {
  begin(more?: { consent: 'skip' }): Promise<Begun>
  finish(begun: Begun, callback: URL): Promise<Tokens & { person: object }>
  /** Handles an error from `finish`: returns a new sign-in, or `undefined` if denied. */
  afterRefusal(error: Error): Promise<Begun | undefined>
  refresh(refreshToken: string): Promise<Tokens>
  signOut(refreshToken: string): Promise<void>
}

/**
 * Signs Ada in, refreshes and signs her out, with the functions of a library's page.
 *
 * @param refused the library's error for a refresh token that has ended, as its page describes it.
 */
export function completes<Begun extends { url: string | URL }>(
  title: string,
  open: (scene: ClientScene) => Promise<Library<Begun>>,
  refused: object,
): void {
  test(`${title} completes consent, code exchange, userinfo, refresh and revocation`, async (t) => {
    const scene = await openClientScene(t)
    const { begin, finish, refresh, signOut } = await open(scene)
    const begun = await begin()
    const first = await finish(begun, await scene.consent(begun.url))
    assert.deepEqual({ ...first.person }, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })
    const next = await refresh(first.refresh_token ?? '')
    assert.notEqual(next.refresh_token, first.refresh_token)
    assert.equal(await scene.isAlive(next.access_token), true)
    await signOut(next.refresh_token ?? '')
    assert.equal(await scene.isAlive(next.access_token), false)
    await assert.rejects(refresh(next.refresh_token ?? ''), refused)
  })
}

/** Signs Ada in three times: she denies, then allows, then returns. */
export function returns<Begun extends { url: string | URL }>(
  open: (scene: ClientScene) => Promise<Library<Begun>>,
): void {
  test('with consent=skip, a new user gets the consent page and a returning user does not; a denial signs nobody in', async (t) => {
    const scene = await openClientScene(t)
    const { begin, finish, afterRefusal } = await open(scene)
    const refused = (begun: Begun, callback: URL) =>
      finish(begun, callback).then(() => assert.fail('signed in'), afterRefusal)
    const again = async () => {
      const begun = await begin({ consent: 'skip' })
      const next = await refused(begun, await scene.redirect(begun.url))
      assert.ok(next && !new URL(next.url).searchParams.has('consent'))
      return next
    }
    const denied = await again()
    assert.equal(await refused(denied, await scene.deny(denied.url)), undefined)

    const allowed = await again()
    const first = await finish(allowed, await scene.consent(allowed.url))
    const returning = await begin({ consent: 'skip' })
    const second = await finish(returning, await scene.redirect(returning.url))
    assert.deepEqual(second.person, first.person)
  })
}
