import { type ClientCase, ClientProcess } from './client-case.ts'
import { deliveringCases } from './client-cases/delivering.ts'
import { endingCases } from './client-cases/ending.ts'
import { leaseCases } from './client-cases/leases.ts'
import { networkCases } from './client-cases/network.ts'
import { openingCases } from './client-cases/opening.ts'
import { FakeService, runtimeKey } from './fake-service.ts'
import { CaseFailure } from './wait-for.ts'

/** Usage: node clients/conformance/run.mjs [--only WORDS] -- COMMAND… */

const usage = `Usage: node clients/conformance/run.mjs [--only WORDS] -- COMMAND [ARGUMENT…]

Starts COMMAND once for each case, against a fake service on this machine, and reports which cases passed.
clients/conformance/README.md describes COMMAND. --only runs the cases whose title contains WORDS.
Exit code: 0 if all cases passed, 1 if not, 2 for an invalid command line.
`

/** Cases spend most of their time waiting, so several run in parallel. */
const atOnce = 4

const words = process.argv.slice(2)
const cut = words.indexOf('--')
const [options, command] = cut < 0 ? [words, []] : [words.slice(0, cut), words.slice(cut + 1)]
const [option, wanted = ''] = options
if (command.length === 0 || (option !== undefined && (option !== '--only' || options.length !== 2))) {
  process.stderr.write(usage)
  process.exit(2)
}

const cases = [...openingCases, ...deliveringCases, ...leaseCases, ...networkCases, ...endingCases]
const results = await runClientCases(
  command,
  cases.filter(({ title }) => title.includes(wanted)),
)
for (const { title, fault, output, ms } of results) {
  const time = `${(ms / 1_000).toFixed(1)} s`.padStart(7)
  process.stdout.write(`${fault === undefined ? 'passed' : 'FAILED'} ${time}  ${title}\n`)
  if (fault === undefined) continue
  process.stdout.write(`                 ${fault}\n`)
  const last = output.trim().split('\n').slice(-5)
  for (const line of last) process.stdout.write(`                 | ${line}\n`)
}
const failed = results.filter(({ fault }) => fault !== undefined).length
process.stdout.write(`\n${results.length - failed} of ${results.length} cases passed\n`)
process.exit(failed === 0 && results.length > 0 ? 0 : 1)

interface CaseResult {
  title: string
  /** A description of the client's mistake, or `undefined` if the case passed. */
  fault: string | undefined
  output: string
  ms: number
}

/** Runs the cases against a client. Each case starts its own client process and fake service. */
async function runClientCases(command: readonly string[], cases: readonly ClientCase[]): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  const waiting = cases.entries()
  const work = async () => {
    for (const [at, one] of waiting) results[at] = await runCase(one, command)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

async function runCase({ title, run }: ClientCase, command: readonly string[]): Promise<CaseResult> {
  const startedAtMs = performance.now()
  const service = await FakeService.open()
  const client = new ClientProcess(command, { GATEHOUSE_URL: service.url, GATEHOUSE_RUNTIME_KEY: runtimeKey })
  let fault: string | undefined
  try {
    await run({ service, client })
  } catch (error) {
    if (!(error instanceof CaseFailure)) throw error
    fault = error.message
  } finally {
    await client.kill()
    await service.stop()
  }
  return { title, fault, output: client.output, ms: Math.round(performance.now() - startedAtMs) }
}
