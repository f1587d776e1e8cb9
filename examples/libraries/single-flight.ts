/**
 * Merges concurrent refreshes of the same refresh token into one, whichever tab, request or timer starts them. For a
 * minute after a success, further calls with the old token get the same response.
 */
export function oncePerToken<Tokens>(
  refresh: (refreshToken: string) => Promise<Tokens>,
): (refreshToken: string) => Promise<Tokens> {
  const flights = new Map<string, Promise<Tokens>>()
  return (refreshToken) => {
    const begun = flights.get(refreshToken)
    if (begun !== undefined) return begun
    const flight = refresh(refreshToken)
    flights.set(refreshToken, flight)
    const forget = () => flights.delete(refreshToken)
    flight.then(() => setTimeout(forget, 60_000).unref(), forget)
    return flight
  }
}
