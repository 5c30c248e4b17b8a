//! Loops that are handed to the engine, or back (§18.5).

use crate::elsewhere::RestateLoops;
use crate::messages::{Adoption, EarlierSpending};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use collie_core::ids::{LoopId, Sha};
use collie_engine::ports::{
    Adopted, DaySpending, ElsewhereError, HandedLoop, LoopMover, ReleasedLoop,
};

#[async_trait]
impl LoopMover for RestateLoops {
    async fn adopt(&self, handed: &HandedLoop, name: &str) -> Result<Adopted, ElsewhereError> {
        let key = handed.state.id.clone().into();
        let adoption = Adoption {
            handed: handed.clone(),
            name: name.to_owned(),
        };
        let adopted = self.ingress.adopt(&key, &adoption).await;
        adopted.map_err(|error| self.failed(&error))
    }

    async fn release(&self, id: &LoopId) -> Result<Option<ReleasedLoop>, ElsewhereError> {
        let released = self.ingress.release(&id.clone().into()).await;
        released.map_err(|error| self.failed(&error))
    }

    async fn forget(&self, id: &LoopId) -> Result<(), ElsewhereError> {
        let forgotten = self.ingress.forget(&id.clone().into()).await;
        forgotten.map_err(|error| self.failed(&error))
    }

    async fn keep_commit(
        &self,
        id: &LoopId,
        commit: &Sha,
        pack: Vec<u8>,
    ) -> Result<(), ElsewhereError> {
        let (key, pack) = (id.clone().into(), STANDARD.encode(pack));
        let kept = self.ingress.keep_commit(&key, commit, pack).await;
        kept.map_err(|error| self.failed(&error))
    }

    async fn fetch_commit(
        &self,
        id: &LoopId,
        commit: &Sha,
    ) -> Result<Option<Vec<u8>>, ElsewhereError> {
        let pack = self.ingress.fetch_commit(&id.clone().into(), commit).await;
        let pack = pack.map_err(|error| self.failed(&error))?;
        let pack = pack.map(|pack| STANDARD.decode(pack)).transpose();
        pack.map_err(|error| ElsewhereError::Unreadable {
            address: self.address.clone(),
            message: error.to_string(),
        })
    }

    async fn adopt_spending(
        &self,
        host: &str,
        name: &str,
        days: &[DaySpending],
    ) -> Result<(), ElsewhereError> {
        let days = days.iter().map(|spent| (spent.day, spent.usage));
        let earlier = EarlierSpending {
            name: name.to_owned(),
            days: days.collect(),
        };
        let told = self.ingress.adopt_spending(host, &earlier).await;
        told.map_err(|error| self.failed(&error))
    }
}
