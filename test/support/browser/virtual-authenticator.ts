import type { Page } from 'playwright-core'

/**
 * Gives the page's browser a passkey device, such as a fingerprint reader, that confirms every request. The device is
 * built into Chromium and controlled through the DevTools protocol.
 *
 * @param autofill whether the browser also offers passkeys in form fields. The device can't show a list to choose from.
 * It confirms as soon as possible, so the user is signed in immediately.
 */
export async function withVirtualAuthenticator(page: Page, { autofill = false } = {}) {
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
    /** Sets whether the device reports that it did not recognise the user. */
    async refuse(refuses: boolean) {
      await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: !refuses })
    },
    /** Sets whether the user touches the device, starting with the next request. */
    async touch(touches: boolean) {
      await devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: touches })
    },
    async credentials() {
      const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials
    },
  }
}
