import { printableLine } from '../../../clients/cli/src/printable.ts'
import { explainUnreachable } from '../../../clients/cli/src/request.ts'
import type { Config } from '../../config/config.ts'
import { operatorKeyOf, operatorKeyPath } from '../keys.ts'
import { exitCodes, StartFault } from '../start-fault.ts'

/**
 * Calls the control API of the running service, and returns the response if its status is successful.
 *
 * @param path with query, such as `/v1/bots?limit=200`.
 * @throws StartFault if there is no response, or if its status is not successful.
 */
export async function callControl(config: Config, method: string, path: string): Promise<Response> {
  const key = operatorKeyOf(config)
  const url = new URL(path, config.control.url)
  let response: Response
  try {
    response = await fetch(url, { method, headers: { authorization: `Bearer ${key}` }, redirect: 'manual' })
  } catch (error) {
    throw failed([
      explainUnreachable(error as Error, url),
      'this command calls the running service: start it, or set CONTROL_URL to its control surface',
    ])
  }
  if (response.ok) return response
  const detail = await detailOf(response)
  if (response.status === 401 && detail !== undefined) throw failed([wrongKey(config)])
  throw failed([
    detail ?? `${url.origin} responded ${response.status}; is CONTROL_URL the control surface of Gatehouse?`,
  ])
}

function failed(lines: readonly string[]): StartFault {
  return new StartFault(exitCodes.failed, lines)
}

function wrongKey(config: Config): string {
  const source = config.operatorKey === undefined ? operatorKeyPath(config) : 'OPERATOR_KEY'
  return (
    `${config.control.url} rejected the operator key from ${source}; run the command with the environment of the ` +
    'service, or set OPERATOR_KEY to a valid key'
  )
}

/** Returns the detail of a problem document, or `undefined` if the response isn't one. */
async function detailOf(response: Response): Promise<string | undefined> {
  const text = await response.text()
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return undefined
  const { detail } = JSON.parse(text) as { detail: string }
  // Names the command's option instead of the API's parameter.
  return printableLine(detail).replace('send cascade=true', 'add --cascade')
}
