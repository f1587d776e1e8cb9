import type { Page } from 'playwright-core'

/**
 * Gives the page's browser a device that holds passkeys, as one with a fingerprint reader would: it asks
 * nobody and says yes. Chromium's own, by its DevTools protocol.
 *
 * @param autofill Whether the browser offers passkeys at a field too. There it has no list to pick from: the device
 * says yes as soon as it may, which signs in at once.
 */
export async function withVirtualAuthenticator(page: Page, { autofill = false } = {}): Promise<VirtualAuthenticator> {
  if (!autofill) {
    await page.addInitScript(() => {
      const { PublicKeyCredential } = globalThis
      if (PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
  }
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async refuse(refuses) {
      await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: !refuses })
    },
    async touch(touches) {
      await devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: touches })
    },
    async credentials() {
      const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials
    },
  }
}

export interface VirtualAuthenticator {
  /** Whether it tells from now on that the person was not recognised. */
  refuse(refuses: boolean): Promise<void>
  /** Whether somebody touches it, from the next request on. */
  touch(touches: boolean): Promise<void>
  credentials(): Promise<{ credentialId: string; isResidentCredential: boolean; rpId?: string; signCount: number }[]>
}
