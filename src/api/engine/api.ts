import type { ListPage, PageRequest } from '../../domain/list-page.ts'
import type { Schema, Static } from '../../http/json-schema.ts'
import { type Cursors, listBody, listResponse, pageParameters, pageRequest } from './lists.ts'
import { type Declaration, type Operation, ok, type ReceivedCall, type ResponseOf, type Route } from './operation.ts'
import { type ParametersIn, parametersOf, readQuery, type ValuesOf } from './parameters.ts'

/** What a handler receives. The path parameters are members, parsed and typed by their names. */
type RequestOf<Caller, Path extends string, Declared> = ParametersIn<Path> & {
  caller: Caller
  query: Declared extends { query: infer Known extends Readonly<Record<string, Schema>> } ? ValuesOf<Known> : object
  /** The query parameters as sent, not validated. */
  sent: Readonly<Record<string, unknown>>
  body: Declared extends { body: infer Body extends Schema } ? Static<Body> : undefined
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

/** Declares the calls of an API. One declaration validates, handles and describes a call. */
export interface Api<Caller> {
  get: Declare<Caller>
  put: Declare<Caller>
  post: Declare<Caller>
  delete: Declare<Caller>
  list: DeclareList<Caller>
}

/** Where an API is mounted, and which scope a call of it needs. */
export interface Mount {
  /** Beginning of every path, such as `/v1`. */
  prefix: string
  scopeOf?: (method: Operation['method']) => Operation['scope']
}

export function apiAt<Caller>(mount: Mount): Api<Caller> {
  const declare =
    (method: Operation['method']): Declare<Caller> =>
    (path, summary, declared, handle) => ({
      operation: operationOf(mount, { method, path, summary }, declared),
      handle(received) {
        const request = {
          ...requestOf(received),
          // Read when the handler asks for it: one call reports a wrong query in its own words.
          get query() {
            return readQuery(declared.query ?? {}, received.query)
          },
        }
        return handle(request as Parameters<typeof handle>[0])
      },
    })
  return {
    get: declare('get'),
    put: declare('put'),
    post: declare('post'),
    delete: declare('delete'),
    list(path, summary, declared, read, shown) {
      const { operationId = operationIdOf('list', path), cursors, 200: answer } = declared
      const { description, title = operationId.slice('list'.length) } = declared
      const query = { ...pageParameters, ...declared.query }
      const whole: Declaration = {
        ...{ operationId, query, 200: [answer[0], listBody(title, answer[1])] },
        ...(description !== undefined && { description }),
      }
      return {
        operation: operationOf(mount, { method: 'get', path, summary }, whole),
        async handle(received) {
          const { limit, after, ...filters } = readQuery(query, received.query)
          const page = pageRequest({ limit, after }, cursors)
          const request = { ...requestOf(received), query: filters }
          return ok(listResponse(await read(request as Parameters<typeof read>[0], page), cursors, shown))
        },
      }
    },
  }
}

function requestOf({ caller, parameters, query: sent, body }: ReceivedCall<unknown>) {
  return { ...parametersOf(parameters), caller, sent, body }
}

function operationOf(
  { prefix, scopeOf }: Mount,
  { method, path, summary }: Pick<Operation, 'method' | 'path' | 'summary'>,
  { operationId = operationIdOf(method, path), ...declared }: Declaration,
): Operation {
  const { 200: ok, 201: created, 202: accepted, 204: done, ...others } = declared
  const answers = Object.entries({ 200: ok, 201: created, 202: accepted, 204: done })
  const responses = answers.flatMap(([status, answer]) => {
    if (answer === undefined) return []
    const [description, schema, streamed] = typeof answer === 'string' ? [answer] : answer
    return [[status, { description, ...(schema && { schema }), ...(streamed && { streamed }) }]]
  })
  const scope = scopeOf?.(method)
  return {
    ...others,
    ...{ method, path: prefix + path, operationId, summary },
    ...(scope !== undefined && { scope }),
    responses: Object.fromEntries(responses),
  }
}

/** Returns `putRuntime` for a PUT of `/runtimes/{runtimeId}`. Names of calls on a bot's parts leave out the bot. */
function operationIdOf(verb: Operation['method'] | 'list', path: string): string {
  const segments = path.split('/').slice(1)
  const nouns = segments.flatMap((segment, index) => {
    if (segment.startsWith('{')) return []
    const last = index === segments.length - 1
    return [last && verb !== 'post' ? segment : segment.replace(/ies$/, 'y').replace(/s$/, '')]
  })
  if (nouns.length > 1 && nouns[0] === 'bot') nouns.shift()
  const words = nouns.flatMap((noun) => noun.split('-'))
  return verb + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
