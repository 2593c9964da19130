/** Names whose values are secrets, wherever they come from; the values are known to the redactor before a process starts. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|CREDENTIAL|AUTH/i;

/** Label and value of each secret-looking variable of an environment. */
export function secretsOf(
  env: Readonly<Record<string, string>>,
): readonly { readonly label: string; readonly value: string }[] {
  return Object.entries(env)
    .filter(([name, value]) => SECRET_NAME.test(name) && value !== '')
    .map(([label, value]) => ({ label, value }));
}
