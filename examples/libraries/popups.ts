/**
 * Signs a user in through a popup. Call it in the handler of a click; otherwise the browser blocks the popup. `beginUrl`
 * is the URL of your server that stores `state` in the session and redirects to Gatehouse. Resolves with the result
 * from the callback's page, and never if the user closes the popup.
 */
export function signInThroughPopup(beginUrl: string): Promise<string> {
  const results = new BroadcastChannel('sign-in')
  // If the browser blocks the popup, the user signs in on this page.
  if (window.open(beginUrl, 'sign-in', 'popup,width=480,height=720') === null) location.assign(beginUrl)
  return new Promise((resolve) => {
    results.onmessage = ({ data }) => {
      results.close()
      resolve(data)
    }
  })
}

/** Runs in the page that your server sends after the callback: once it has exchanged the code, or got an error. */
export function leavePopup(result: 'signed in' | 'not signed in'): void {
  new BroadcastChannel('sign-in').postMessage(result)
  window.close()
}
