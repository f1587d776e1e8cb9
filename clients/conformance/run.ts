import { clientCases, runClientCases } from './run-client-cases.ts'

/** Usage: node clients/conformance/run.mjs [--only WORDS] -- COMMAND… */

const usage = `Usage: node clients/conformance/run.mjs [--only WORDS] -- COMMAND [ARGUMENT…]

Starts COMMAND once for each case, against a fake service on this machine, and reports which cases passed.
clients/conformance/README.md describes COMMAND. --only runs the cases whose title contains WORDS.
Exit code: 0 if all cases passed, 1 if not, 2 for an invalid command line.
`

const words = process.argv.slice(2)
const cut = words.indexOf('--')
const [options, command] = cut < 0 ? [words, []] : [words.slice(0, cut), words.slice(cut + 1)]
const [option, wanted = ''] = options
if (command.length === 0 || (option !== undefined && (option !== '--only' || options.length !== 2))) {
  process.stderr.write(usage)
  process.exit(2)
}

const results = await runClientCases(
  command,
  clientCases.filter(({ title }) => title.includes(wanted)),
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
