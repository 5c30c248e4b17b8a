//! An account on the command line: `NAME=DIR`.

use collie_app::backend::AccountName;
use collie_config::DataFolder;
use std::str::FromStr;

/// An account and its data folder.
#[derive(Clone, Debug)]
pub struct AccountFolder {
    /// What it is called.
    pub name: AccountName,
    /// Where its data lies.
    pub folder: DataFolder,
}

impl FromStr for AccountFolder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, folder) = text
            .split_once('=')
            .filter(|(_, folder)| !folder.is_empty())
            .ok_or("an account is given as NAME=DIR")?;
        let name = AccountName::parse(name).ok_or_else(|| {
            format!("`{name}` is no name of an account: use letters, digits, - and _")
        })?;
        let folder = DataFolder::at(folder).map_err(|error| error.to_string())?;
        Ok(Self { name, folder })
    }
}
