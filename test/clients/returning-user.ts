import assert from 'node:assert/strict'
import type { ClientScene } from './registration.ts'

interface Begun {
  url: string | URL
}

/**
 * The functions of a library's page. `begin` sends `consent=skip`. `signIn` returns the person, a new sign-in, or `undefined` if
 * denied.
 */
interface Recipe<Started extends Begun, SignedIn extends { person: unknown }> {
  begin(): Promise<Started>
  signIn(begun: Started, callback: URL): Promise<SignedIn | Started | undefined>
}

/** Signs Ada in three times: she denies, then allows, then returns. */
export async function assertReturns<Started extends Begun, SignedIn extends { person: unknown }>(
  scene: ClientScene,
  { begin, signIn }: Recipe<Started, SignedIn>,
): Promise<void> {
  const again = async (): Promise<Started> => {
    const begun = await begin()
    const callback = await scene.redirect(begun.url)
    assert.equal(callback.searchParams.get('error'), 'consent_required')
    const next = await signIn(begun, callback)
    assert.ok(next !== undefined && 'url' in next, 'a new sign-in begins')
    assert.equal(new URL(next.url).searchParams.get('consent'), null)
    return next
  }

  const denied = await again()
  assert.equal(await signIn(denied, await scene.deny(denied.url)), undefined)

  const allowed = await again()
  const first = await signIn(allowed, await scene.consent(allowed.url))
  assert.ok(first !== undefined && 'person' in first)

  const returning = await begin()
  const second = await signIn(returning, await scene.redirect(returning.url))
  assert.ok(second !== undefined && 'person' in second)
  assert.deepEqual(second.person, first.person)
}
