/**
 * A browser that calls the application's request handler directly, without a network. Keeps cookies but does not follow
 * redirects.
 */
export class Visitor {
  readonly #application: (request: Request) => Promise<Response>
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  constructor(origin: string, application: (request: Request) => Promise<Response>) {
    this.#origin = origin
    this.#application = application
  }

  get(address: string | URL): Promise<Response> {
    return this.#send(address, { method: 'GET' })
  }

  postForm(address: string, fields: Record<string, string>): Promise<Response> {
    return this.#send(address, { method: 'POST', body: new URLSearchParams(fields) })
  }

  postJson(address: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    return this.#send(address, { method: 'POST', body: JSON.stringify(body), headers })
  }

  /** Opens another tab of the same browser, with a copy of its cookies. */
  tab(): Visitor {
    const other = new Visitor(this.#origin, this.#application)
    for (const [name, value] of this.#cookies) other.#cookies.set(name, value)
    return other
  }

  async #send(address: string | URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('origin', this.#origin)
    headers.set('cookie', [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await this.#application(new Request(new URL(address, this.#origin), { ...init, headers }))
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      if (value === '' || /max-age=0/i.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }
}
