/** What the exit scan found, in words for a terminal. It shows previews as they were masked, and no secret. */
import type { Finding } from '../../../shared/contracts/exit-scan.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import { exitScanText, findingPlace, findingText } from '../../../shared/exit-scan-text.js';
import { visibleText } from '../../../shared/visible-text.js';
import { readFindings } from '../../core/store/run-folder.js';
import type { StateFolder } from '../../core/store/layout.js';

/** Most findings that are named one by one. */
const MOST_SHOWN = 10;

/** The scan in one line, why it says so, and the findings. */
export async function scanLines(state: StateFolder, { id, exitScan }: RunRecord): Promise<readonly string[]> {
  const findings = await readFindings(state, id);
  const lines = [`exit scan: ${exitScanText(exitScan)}`, ...exitScan.why.map((why) => `- ${why}`)];
  if (findings === null) lines.push('- findings.json cannot be read, so what was found cannot be named');
  for (const one of (findings ?? []).slice(0, MOST_SHOWN)) lines.push(...findingLines(one));
  const more = (findings ?? []).length - MOST_SHOWN;
  if (more > 0) lines.push(`and ${more} more, in findings.json of the run's folder`);
  return lines.map((line) => visibleText(line).text);
}

function findingLines(finding: Finding): readonly string[] {
  return [`${findingText(finding)}, ${finding.preview}`, `  ${findingPlace(finding)}`, `  ${finding.why}`];
}
