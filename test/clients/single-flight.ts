// recipe: single flight
/**
 * Makes one refresh out of all that are asked for with the same refresh token, in whatever tab, request or
 * timer. For a minute a latecomer who still holds the old token gets the same answer, without asking again.
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
// end of recipe
