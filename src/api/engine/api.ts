import type { Readable } from 'node:stream'
import type { PersonalTokenScope } from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import type { ListPage, PageRequest } from '../../domain/list-page.ts'
import type { PutOutcome } from '../../domain/put-outcome.ts'
import type { Schema, Static } from '../../http/json-schema.ts'
import { type Cursors, listBody, listResponse, pageParameters, pageRequest } from './lists.ts'
import { type ParametersIn, parametersOf, readQuery, type ValuesOf } from './parameters.ts'

/** Streamed bodies: `json` is one document, `lines` a value of the schema per line, `live` the same without an end. */
export const streamTypes = {
  json: 'application/json',
  lines: 'application/x-ndjson',
  live: 'application/x-ndjson',
} as const

/** A successful response: its description, the schema of its body, and how the body is streamed if it is. */
type Answer = readonly [description: string, schema?: Schema, streamed?: keyof typeof streamTypes]

interface Answers {
  200?: Answer
  201?: Answer
  202?: Answer | string
  204?: string
}

/** What an API says about a call, besides its method, path and summary. */
interface Declaration extends Answers {
  /** Default: derived from method and path, such as `putRuntime` for `PUT /runtimes/{runtimeId}`. */
  operationId?: string
  description?: string | undefined
  query?: Readonly<Record<string, Schema>>
  body?: Schema
  /** Whether the call can be refused with 409. All PUT calls can. */
  conflicts?: true
  /** The outcome in the audit log, in the past tense. Default: derived from the path's verb, or else from the status. */
  outcome?: string
  /** Whether the call is audited. By default, every call except GET is. */
  audited?: boolean
}

/** An API call. Its schemas validate the request, serialize the response and describe both. */
export interface Operation extends Omit<Declaration, keyof Answers> {
  method: 'get' | 'put' | 'post' | 'delete'
  /** Path after the API's prefix, with parameters written as `{name}`. */
  path: string
  operationId: string
  summary: string
  responses: Readonly<Record<string, Answer>>
  /** In the API for owners: the scope needed, `null` for none, or `runtime-key` for that instead of a token. */
  scope: PersonalTokenScope | null | 'runtime-key'
}

/** What a handler receives. The path parameters are members, parsed and typed by their names. */
type RequestOf<Caller, Path extends string, Declared> = ParametersIn<Path> & {
  caller: Caller
  query: Declared extends { query: infer Known extends Readonly<Record<string, Schema>> } ? ValuesOf<Known> : object
  /** The query parameters as sent, not validated. */
  sent: Readonly<Record<string, unknown>>
  body: Declared extends { body: infer Body extends Schema } ? Static<Body> : undefined
}

/** What a handler may return for a call that is declared so. */
type ResponseOf<Declared> = {
  [Status in keyof Declared & keyof Answers]: { status: Status; unchanged?: boolean } & BodyOf<Declared[Status]>
}[keyof Declared & keyof Answers]

type BodyOf<Declared> = Declared extends readonly [string, Schema, string]
  ? { body: Readable }
  : Declared extends readonly [string, Schema<infer Body>]
    ? { body: Body }
    : object

/** A request as it was received. The body has been validated, the query has not. */
interface ReceivedCall<Caller> {
  caller: Caller
  parameters: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  body: unknown
}

interface HandledCall {
  status: number
  body?: unknown
  /** Whether the call has changed nothing, so that there is nothing to audit. */
  unchanged?: boolean
}

/** An API call with its handler. `Caller` is what the API knows about an authenticated client. */
export interface Route<Caller = unknown> {
  operation: Operation
  handle(received: ReceivedCall<Caller>): Promise<HandledCall>
}

type Declare<Caller> = <const Path extends string, const Declared extends Declaration>(
  path: Path,
  summary: string,
  declared: Declared,
  handle: (request: RequestOf<Caller, Path, Declared>) => Promise<ResponseOf<Declared>>,
) => Route<Caller>

/** A paginated list. The query parameters that select the page are added; the schema is that of an item. */
interface ListDeclaration<Place> extends Pick<Declaration, 'operationId' | 'description' | 'query'> {
  /** Title of the page's schema. By default, the operation’s ID without `list`. */
  title?: string
  cursors: Cursors<Place>
  200: readonly [description: string, item: Schema]
}

type DeclareList<Caller> = <
  const Path extends string,
  Place,
  const Declared extends ListDeclaration<Place>,
  Item = Static<Declared[200][1]>,
>(
  path: Path,
  summary: string,
  declared: Declared & { cursors: Cursors<Place> },
  read: (request: RequestOf<Caller, Path, Declared>, page: PageRequest<Place>) => Promise<ListPage<Item, Place>>,
  shown: (item: Item) => Static<Declared[200][1]>,
) => Route<Caller>

export interface Api<Caller> {
  get: Declare<Caller>
  put: Declare<Caller>
  post: Declare<Caller>
  delete: Declare<Caller>
  list: DeclareList<Caller>
}

export function newApi<Caller>(scopeOf: (method: Operation['method']) => Operation['scope']): Api<Caller> {
  const declare =
    (method: Operation['method']): Declare<Caller> =>
    (path, summary, declared, handle) => ({
      operation: operationOf({ method, path, summary, scope: scopeOf(method) }, declared),
      handle({ caller, parameters, query: sent, body }) {
        const query = declared.query && readQuery(declared.query, sent)
        const request = { ...parametersOf(parameters), caller, query, sent, body }
        return handle(request as Parameters<typeof handle>[0])
      },
    })
  const get = declare('get')
  return {
    ...{ get, put: declare('put'), post: declare('post'), delete: declare('delete') },
    list(path, summary, { cursors, title, 200: [description, item], ...others }, read, shown) {
      const { operationId = operationIdOf('list', path), ...declared } = others as Declaration
      const query = { ...pageParameters, ...declared.query }
      const body = listBody(title ?? operationId.slice('list'.length), item)
      const whole = { ...declared, operationId, query, 200: [description, body] as const }
      return get(path, summary, whole, async ({ query: { limit, after, ...query }, ...request }) => {
        const page = pageRequest({ limit, after }, cursors)
        const found = await read({ ...request, query } as unknown as Parameters<typeof read>[0], page)
        return ok(listResponse(found, cursors, shown))
      })
    },
  }
}

function operationOf(
  { method, path, summary, scope }: Pick<Operation, 'method' | 'path' | 'summary' | 'scope'>,
  { 200: ok, 201: created, 202: accepted, 204: done, operationId, ...others }: Declaration,
): Operation {
  const responses = Object.entries({ 200: ok, 201: created, 202: accepted, 204: done }).flatMap(([status, answer]) =>
    answer === undefined ? [] : [[status, typeof answer === 'string' ? [answer] : answer]],
  )
  const outcome = method === 'post' ? outcomes[verbIn(path)] : undefined
  return {
    ...(outcome !== undefined && { outcome }),
    ...others,
    ...{ method, path, operationId: operationId ?? operationIdOf(method, path), summary, scope },
    responses: Object.fromEntries(responses),
  }
}

/** Verbs with which the last segment of a POST's path can begin, and their past tense. */
const outcomes: Readonly<Record<string, string>> = {
  disable: 'disabled',
  discard: 'discarded',
  enable: 'enabled',
  end: 'ended',
  replay: 'replayed',
  retry: 'retried',
  revoke: 'revoked',
}

function verbIn(path: string): string {
  return /[^/]*$/.exec(path)?.[0].split('-', 1)[0] ?? ''
}

/** Returns `putRuntime` for PUT `/runtimes/{runtimeId}`, `endUserSessions` for POST `/users/{userId}/end-sessions`. */
function operationIdOf(method: Operation['method'] | 'list', path: string): string {
  const segments = path.split('/').slice(1)
  const verb = method === 'post' ? verbIn(path) : ''
  const acts = Object.hasOwn(outcomes, verb)
  const nouns = segments.flatMap((segment, index) => {
    if (segment.startsWith('{')) return []
    const last = index === segments.length - 1
    if (acts && last) return segment.split('-').slice(1)
    const plural = acts ? index === segments.length - 2 : last && method !== 'post'
    return [plural ? segment : segment.replace(/ies$/, 'y').replace(/s$/, '')]
  })
  if (nouns.length > 1 && nouns[0] === 'bot') nouns.shift()
  const words = nouns.flatMap((noun) => noun.split('-'))
  return (acts ? verb : method) + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

export const ok = <Body>(body: Body) => ({ status: 200, body }) as const
export const created = <Body>(body: Body) => ({ status: 201, body }) as const
export const accepted = <Body>(body: Body) => ({ status: 202, body }) as const

/** Returns status 204 once the work is done. Throws `missing()` if it resolves with `false` or `unknown`. */
export async function done(work: Promise<unknown>, missing?: () => Error) {
  const outcome = await work
  if (missing !== undefined && (outcome === false || outcome === 'unknown')) throw missing()
  return { status: 204, unchanged: outcome === 'unchanged' } as const
}

/** Returns status 201 for a new record and 200 for another. */
export function put<Body>(outcome: PutOutcome, body: Body) {
  return outcome === 'created' ? created(body) : replaced(outcome, body)
}

export function replaced<Body>(outcome: 'changed' | 'unchanged', body: Body) {
  return { ...ok(body), unchanged: outcome === 'unchanged' }
}
