import type { Page } from 'playwright-core'

/**
 * Gives the page's browser a passkey device, such as one with a fingerprint reader, that confirms every request. It is
 * Chromium's own device, controlled over the DevTools protocol.
 *
 * @param autofill Whether the browser offers passkeys at a field too. The device has no list to choose from, so it
 * confirms as soon as it may, which signs in at once.
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
  /** Sets whether the device reports that it did not recognise the user. */
  refuse(refuses: boolean): Promise<void>
  /** Sets whether the device is touched, from the next request on. */
  touch(touches: boolean): Promise<void>
  credentials(): Promise<{ credentialId: string; isResidentCredential: boolean; rpId?: string; signCount: number }[]>
}
